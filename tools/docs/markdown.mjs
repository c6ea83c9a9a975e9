/** Helpers for Markdown. */
export const GENERATED = '<!-- Made by `npm run docs` from the code; change it there. -->';

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

export const table = (head, rows) =>
  [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`)].join('\n');

export const fenced = (language, text) => `\`\`\`${language}\n${text.trim()}\n\`\`\``;

export const code = (text) => `\`${text}\``;

/** Joins the parts with empty lines; leaves out empty ones. */
export const page = (...parts) => parts.filter((part) => part !== '' && part !== undefined).join('\n\n');

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
