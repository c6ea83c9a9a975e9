import { cleanText } from '../clean-text.ts';
import type { Draft } from '../draft.ts';
import { readCode } from './plain.ts';

type Cell = Readonly<{ cell_type?: unknown; source?: unknown }>;

const sourceOf = (cell: Cell | null): string =>
  Array.isArray(cell?.source)
    ? cell.source.filter((line) => typeof line === 'string').join('')
    : typeof cell?.source === 'string'
      ? cell.source
      : '';

/** Reads a Jupyter notebook: its Markdown cells, and its code cells as fenced code. Outputs are omitted. */
export function readNotebook(text: string): Draft {
  const mediaType = 'application/x-ipynb+json';
  let notebook: { cells?: unknown; metadata?: { language_info?: { name?: unknown } } };
  try {
    notebook = JSON.parse(text) as typeof notebook;
  } catch {
    return { ...readCode(text, 'application/json', 'json'), warnings: ['The notebook is not valid JSON; it was read as plain text.'] };
  }
  const cells = Array.isArray(notebook?.cells) ? (notebook.cells as (Cell | null)[]) : [];
  const language = typeof notebook?.metadata?.language_info?.name === 'string' ? notebook.metadata.language_info.name : 'python';
  const parts = cells.map((cell) => {
    const source = cleanText(sourceOf(cell)).trim();
    if (source === '') return '';
    return cell?.cell_type === 'code' ? `\`\`\`\`${language}\n${source}\n\`\`\`\`` : source;
  });
  return { kind: 'markdown', text: parts.filter((part) => part !== '').join('\n\n'), mediaType, warnings: ['Cell outputs were omitted.'] };
}
