// What the package's declarations (index.d.ts, one file) say of each name: its form, its docstring, its members.
import ts from "typescript";

export interface ApiMember {
  name: string;
  /** Markdown. */
  doc: string;
  /** Its forms: one, or those of an overloaded method. */
  forms: string[];
  callable: boolean;
}

export interface ApiEntry {
  name: string;
  /** Whether the package exports it; others are named by what is exported. */
  exported: boolean;
  doc: string;
  /** Without its members: "interface MatmulOptions extends OutOption". */
  form: string;
  members: ApiMember[];
}

/** By name, in the order of the file. */
export function apiReference(declarations: string): Map<string, ApiEntry> {
  const source = ts.createSourceFile("index.d.ts", declarations, ts.ScriptTarget.Latest, true);
  // A name that the file has to tell from another: "export { Transformer$1 as Transformer }".
  const renamed = new Map<string, string>();
  const exported = new Set<string>();
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause) continue;
    if (!ts.isNamedExports(statement.exportClause)) continue;
    for (const { name, propertyName } of statement.exportClause.elements) {
      exported.add(name.text);
      if (propertyName && propertyName.text !== name.text) renamed.set(propertyName.text, name.text);
    }
  }
  if (renamed.size > 0) {
    const plain = [...renamed].reduce((text, [from, to]) => text.replaceAll(from, to), declarations);
    return apiReference(plain);
  }
  const entries = new Map<string, ApiEntry>();
  for (const statement of source.statements) {
    const entry = entryOf(statement, source);
    if (!entry) continue;
    if (exported.has(entry.name)) entry.exported = true;
    entries.set(entry.name, entry);
  }
  return entries;
}

function entryOf(statement: ts.Statement, source: ts.SourceFile): ApiEntry | undefined {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const exported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const shared = { exported, doc: docOf(statement) };
  if (ts.isTypeAliasDeclaration(statement))
    return { name: statement.name.text, ...shared, form: bare(statement.getText(source)), members: [] };
  if (ts.isVariableStatement(statement)) {
    const name = statement.declarationList.declarations[0]?.name.getText(source) ?? "";
    return { name, ...shared, form: bare(statement.getText(source)), members: [] };
  }
  if (!ts.isInterfaceDeclaration(statement) && !ts.isClassDeclaration(statement)) return undefined;
  const text = statement.getText(source);
  const form = bare(text.slice(0, statement.members.pos - statement.getStart(source)).replace(/\{\s*$/, ""));
  return { name: statement.name?.text ?? "", ...shared, form, members: membersOf(statement.members, source) };
}

function membersOf(nodes: ts.NodeArray<ts.Node>, source: ts.SourceFile): ApiMember[] {
  const members: ApiMember[] = [];
  for (const node of nodes) {
    if (isHidden(node, source)) continue;
    const name = nameOf(node, source);
    const doc = docOf(node);
    const callable =
      ts.isMethodSignature(node) || ts.isMethodDeclaration(node) || ts.isCallSignatureDeclaration(node);
    const form = bare(node.getText(source));
    const overloaded = callable ? members.find((member) => member.name === name) : undefined;
    if (!overloaded) members.push({ name, doc, forms: [form], callable });
    else {
      overloaded.forms.push(form);
      overloaded.doc ||= doc;
    }
  }
  return members;
}

/** Private, of the language, or a class's own name. */
function isHidden(node: ts.Node, source: ts.SourceFile): boolean {
  const text = node.getText(source);
  return (
    /^(#|private |readonly #|static )/.test(text) ||
    text.startsWith("constructor") ||
    text.includes("[Symbol.")
  );
}

function nameOf(node: ts.Node, source: ts.SourceFile): string {
  const { name } = node as ts.NamedDeclaration;
  return name?.getText(source) ?? "call";
}

/** The docstring's text. */
function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter((each) => ts.isJSDoc(each));
  return ts.getTextOfJSDocComment(doc?.comment)?.trim() ?? "";
}

/** A form as one reads it: declared it is, and of fields the page says that they are read-only. */
function bare(text: string): string {
  return text
    .replace(/^(?:export )?(?:declare )?(?:abstract )?/, "")
    .replace(/(^|[{;\n]\s*)readonly (?=\w+\??:)/g, "$1")
    .replace(/\{\s+([^{};]*);\s+\}/g, "{ $1 }") // of one field
    .replace(/^get (\w+)\(\)/, "$1")
    .replace(/;$/, "")
    .replaceAll("\t", "  ")
    .trim();
}
