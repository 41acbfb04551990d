export type FileFormat = 'markdown' | 'text' | 'code' | 'html' | 'json' | 'jsonl' | 'csv';

const extensions: Readonly<Record<FileFormat, string>> = {
  markdown: 'md markdown mdown mkd mdx qmd rmd',
  text: 'txt text log org rst adoc asciidoc tex',
  code: 'c cc cpp cs css go h hpp java js jsx kt lua mjs php pl py r rb rs scala sh sql svelte swift toml ts tsx vue yaml yml',
  html: 'html htm xhtml',
  json: 'json',
  jsonl: 'jsonl ndjson',
  csv: 'csv tsv',
};

const formats: ReadonlyMap<string, FileFormat> = new Map(
  Object.entries(extensions).flatMap(([format, names]) =>
    names.split(' ').map((name): [string, FileFormat] => [name, format as FileFormat]),
  ),
);

/** File name endings that `readFile` knows, without the dot; each also with `.gz` behind it. */
export const supportedExtensions: readonly string[] = [...formats.keys()];

/**
 * The format that a file's name promises, `.gz` aside. A name without an ending (README) promises text; null for an ending
 * that is not known.
 */
export function formatOf(name: string): FileFormat | null {
  const base = name.slice(name.search(/[^/\\]*$/)).replace(/\.gz$/i, '');
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? 'text' : (formats.get(base.slice(dot + 1).toLowerCase()) ?? null);
}

/** The file's name without folders and endings: a title for what has none. */
export function stemOf(name: string): string {
  const base = name.slice(name.search(/[^/\\]*$/)).replace(/\.gz$/i, '');
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? base : base.slice(0, dot);
}
