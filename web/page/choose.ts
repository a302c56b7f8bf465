// The front page: on to the reader's language, with the state that the address carries.
const chinese = navigator.languages
  .find((tag) => /^(zh|en)\b/i.test(tag))
  ?.toLowerCase()
  .startsWith("zh");
location.replace((chinese ? "zh/" : "en/") + location.search + location.hash);
