// The pages that are prose: the articles, and what authors need.
import { escape, type Language, type Page, type PageWords, type Room, type Verdict } from "./document.ts";
import { partHtml } from "./lab_page.ts";
import type { Part, Prose } from "./markdown.ts";
import { titleHtml } from "./title.ts";

/** A page of prose; `element` stands behind its introduction; `name`: of a page that is not its room's first. */
export function prosePage(language: Language, room: Room, prose: Prose, element = "", name = ""): Page {
  const { title = "", description = "" } = prose.fields;
  const main = `      <div class="claim">
        <div class="text">
          <h1>${titleHtml(language, title)}</h1>
${prose.intro}        </div>
        ${element}
${prose.parts.map(partHtml).join("")}      </div>
`;
  const path = `${room}/${name && `${name}/`}`;
  return { language, path, title: `${title} · sqrtdk`, description, room, main };
}

const verdicts: readonly Verdict[] = ["right", "imprecise", "wrong", "untestable"];

/** An article's claims with their verdicts, by its parts: "### right: the claim", and what is to be said of it. */
export interface Review {
  prose: Prose;
  counts: Readonly<Record<Verdict, number>>;
}

/** Gives each claim of a part its verdict; counts them. Throws where a heading has none. */
export function reviewed(prose: Prose, words: PageWords): Review {
  const counts = { right: 0, imprecise: 0, wrong: 0, untestable: 0 };
  const withVerdicts = (part: Part): Part => ({
    ...part,
    html: part.html.replace(/<h3>(\w+)[:：]\s*/g, (_, found: string) => {
      const verdict = verdicts.find((each) => each === found);
      if (!verdict) throw new Error(`not a verdict: ${found}`);
      ++counts[verdict];
      return `<h3><span class="claim-verdict claim-${verdict}">${escape(words.verdicts[verdict])}</span> `;
    }),
  });
  const parts = prose.parts.map(withVerdicts);
  for (const { heading, html } of parts) {
    if (/<h3>(?!<span class="claim-verdict)/.test(html))
      throw new Error(`a claim without a verdict: ${heading}`);
  }
  return { prose: { ...prose, parts }, counts };
}

/** All articles on one page, each after the other. */
export function articlesPage(
  language: Language,
  words: PageWords,
  prose: Prose,
  reviews: readonly Review[],
): Page {
  const { title = "", description = "" } = prose.fields;
  const count = ({ counts }: Review): string =>
    verdicts
      .filter((verdict) => counts[verdict] > 0)
      .map(
        (verdict) =>
          `<span class="claim-verdict claim-${verdict}">${escape(words.verdicts[verdict])}</span> ${counts[verdict]}`,
      )
      .join(" · ");
  const article = (review: Review, index: number): string => {
    const { fields, intro, parts } = review.prose;
    const id = `article-${index + 1}`;
    return `      <article class="claim review" id="${id}" aria-labelledby="${id}-title">
        <div class="text">
          <h2 id="${id}-title"><span class="review-number">${index + 1}</span> <cite>${titleHtml(language, fields["title"] ?? "")}</cite></h2>
          <p class="review-date">${escape(fields["date"] ?? "")}</p>
          <p class="review-counts">${count(review)}</p>
${intro}        </div>
${parts.map(reviewPart).join("")}      </article>
`;
  };
  const contents = reviews
    .map(
      ({ prose }, index) =>
        `          <li><a href="#article-${index + 1}">${escape(prose.fields["title"] ?? "")}</a></li>\n`,
    )
    .join("");
  const main = `      <div class="claim">
        <div class="text">
          <h1>${titleHtml(language, title)}</h1>
${prose.intro}          <ol>
${contents}          </ol>
        </div>
${prose.parts.map(partHtml).join("")}      </div>
${reviews.map(article).join("")}`;
  return { language, path: "articles/", title: `${title} · sqrtdk`, description, room: "articles", main };
}

/** Claims one can fold, so that a reader sees all of an article's at a glance. */
function reviewPart({ heading, html }: Part): string {
  const start = html.indexOf("<h3>");
  const [before, claims] =
    start < 0 ? [html, []] : [html.slice(0, start), html.slice(start).split(/(?=<h3>)/)];
  const folded = claims.map((claim) => {
    const [, said = "", why = ""] = /^<h3>(.*?)<\/h3>\n?(.*)$/s.exec(claim) ?? [];
    return `<details class="review-claim"><summary><h4>${said}</h4></summary>\n${why}</details>\n`;
  });
  return `        <section class="part">
          <h3>${heading}</h3>
          <div class="text">
${before}${folded.join("")}          </div>
        </section>
`;
}
