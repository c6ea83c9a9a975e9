/** Formats that are detected by their name, since their bytes are just text. */
export type TextFormat = 'markdown' | 'html' | 'delimited' | 'mail' | 'text' | 'code' | 'notebook';

export type KnownExtension = Readonly<{ format: TextFormat; mediaType: string; codeLanguage?: string }>;

const known = new Map<string, KnownExtension>();

function add(format: TextFormat, mediaType: string, extensions: string): void {
  for (const extension of extensions.split(' ')) known.set(extension, { format, mediaType });
}

function addCode(codeLanguage: string, mediaType: string, extensions: string): void {
  for (const extension of extensions.split(' ')) known.set(extension, { format: 'code', mediaType, codeLanguage });
}

add('markdown', 'text/markdown', 'md markdown mdown mkd mkdn mdx rmd qmd');
add('html', 'text/html', 'html htm xhtml shtml');
add('delimited', 'text/csv', 'csv');
add('delimited', 'text/tab-separated-values', 'tsv tab');
add('mail', 'message/rfc822', 'eml mht mhtml');
add('notebook', 'application/x-ipynb+json', 'ipynb');
add('text', 'text/plain', 'txt text log adoc asciidoc textile wiki man srt vtt nfo me');
add('text', 'text/x-org', 'org');
add('text', 'text/x-rst', 'rst rest');
add('text', 'text/x-tex', 'tex latex bib');

addCode('typescript', 'text/typescript', 'ts mts cts tsx');
addCode('javascript', 'text/javascript', 'js mjs cjs jsx');
addCode('python', 'text/x-python', 'py pyi pyw');
addCode('go', 'text/x-go', 'go');
addCode('rust', 'text/x-rust', 'rs');
addCode('java', 'text/x-java', 'java');
addCode('kotlin', 'text/x-kotlin', 'kt kts');
addCode('scala', 'text/x-scala', 'scala sc');
addCode('c', 'text/x-c', 'c h');
addCode('cpp', 'text/x-c++', 'cpp cc cxx hpp hh hxx ipp');
addCode('csharp', 'text/x-csharp', 'cs csx');
addCode('fsharp', 'text/x-fsharp', 'fs fsx fsi');
addCode('vb', 'text/x-vb', 'vb');
addCode('ruby', 'text/x-ruby', 'rb rake gemspec');
addCode('php', 'text/x-php', 'php');
addCode('swift', 'text/x-swift', 'swift');
addCode('objectivec', 'text/x-objective-c', 'm mm');
addCode('dart', 'text/x-dart', 'dart');
addCode('lua', 'text/x-lua', 'lua');
addCode('perl', 'text/x-perl', 'pl pm');
addCode('r', 'text/x-r', 'r');
addCode('julia', 'text/x-julia', 'jl');
addCode('haskell', 'text/x-haskell', 'hs');
addCode('elixir', 'text/x-elixir', 'ex exs');
addCode('erlang', 'text/x-erlang', 'erl hrl');
addCode('clojure', 'text/x-clojure', 'clj cljs cljc edn');
addCode('ocaml', 'text/x-ocaml', 'ml mli');
addCode('zig', 'text/x-zig', 'zig');
addCode('sql', 'text/x-sql', 'sql');
addCode('shell', 'text/x-shellscript', 'sh bash zsh fish');
addCode('powershell', 'text/x-powershell', 'ps1 psm1');
addCode('batch', 'text/x-batch', 'bat cmd');
addCode('css', 'text/css', 'css');
addCode('scss', 'text/x-scss', 'scss sass less');
addCode('vue', 'text/x-vue', 'vue');
addCode('svelte', 'text/x-svelte', 'svelte');
addCode('json', 'application/json', 'json jsonc json5 geojson webmanifest');
addCode('jsonl', 'application/x-ndjson', 'jsonl ndjson');
addCode('yaml', 'application/yaml', 'yaml yml');
addCode('toml', 'application/toml', 'toml');
addCode('ini', 'text/x-ini', 'ini cfg conf properties env editorconfig');
addCode('xml', 'application/xml', 'xml xsd xsl xslt svg rss atom plist csproj fsproj props targets');
addCode('graphql', 'text/x-graphql', 'graphql gql');
addCode('protobuf', 'text/x-protobuf', 'proto');
addCode('terraform', 'text/x-terraform', 'tf tfvars hcl');
addCode('dockerfile', 'text/x-dockerfile', 'dockerfile');
addCode('makefile', 'text/x-makefile', 'makefile mk');
addCode('cmake', 'text/x-cmake', 'cmake');
addCode('groovy', 'text/x-groovy', 'groovy gradle');
addCode('diff', 'text/x-diff', 'diff patch');

/** Files that are recognised by their whole name. */
const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  makefile: 'makefile',
  'cmakelists.txt': 'cmake',
  jenkinsfile: 'groovy',
  gemfile: 'rb',
  rakefile: 'rb',
  readme: 'txt',
};

/** Lower case, without the dot; empty if there is none. */
export function extensionOf(fileName: string | undefined): string {
  const base = (fileName ?? '').split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  return BY_NAME[base] ?? /\.([a-z0-9_+-]{1,12})$/.exec(base)?.[1] ?? '';
}

export const knownExtension = (extension: string): KnownExtension | undefined => known.get(extension);

/** Looks up a declared media type; parameters are ignored. `text/plain` is ignored too: senders use it when they do not know the type. */
export function knownMediaType(mediaType: string | undefined): KnownExtension | undefined {
  const wanted = (mediaType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (wanted === '' || wanted === 'text/plain') return undefined;
  const aliases: Readonly<Record<string, string>> = {
    'text/x-markdown': 'md',
    'application/xhtml+xml': 'html',
    'text/xml': 'xml',
    'text/yaml': 'yaml',
    'application/x-yaml': 'yaml',
    'application/javascript': 'js',
    'application/sql': 'sql',
    'application/x-sh': 'sh',
  };
  const alias = aliases[wanted];
  if (alias !== undefined) return known.get(alias);
  return [...known.values()].find((entry) => entry.mediaType === wanted);
}
