import type { BlockContent, DefinitionContent, List, PhrasingContent, Root, Table } from 'mdast';
import type { OfficeContentNode } from 'officeparser';

type Block = BlockContent | DefinitionContent;
type Leveled = { ordered: boolean; level: number; content: Block[] };

/** Inline content of a node as text, with its runs joined. */
function phrasing(node: OfficeContentNode): PhrasingContent[] {
  const children = node.children ?? [];
  if (children.length === 0) return node.text === undefined || node.text === '' ? [] : [{ type: 'text', value: node.text }];
  return children.flatMap((child): PhrasingContent[] => {
    if (child.type === 'break') return [{ type: 'break' }];
    if (child.type === 'image') return child.metadata?.altText ? [{ type: 'text', value: child.metadata.altText }] : [];
    return phrasing(child);
  });
}

/** Merges adjacent texts, so that the beginning of a line is recognised. Returns nothing for an empty paragraph. */
function merged(content: readonly PhrasingContent[]): PhrasingContent[] {
  const result: PhrasingContent[] = [];
  for (const node of content) {
    const last = result.at(-1);
    if (node.type === 'text' && last?.type === 'text') last.value += node.value;
    else result.push(node.type === 'text' ? { ...node } : node);
  }
  return result.some((node) => node.type === 'text' && node.value.trim() !== '') ? result : [];
}

const plain = (node: OfficeContentNode): string =>
  merged(phrasing(node))
    .map((part) => (part.type === 'text' ? part.value : ' '))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

/** All text of a cell, from all its paragraphs. */
const cellText = (cell: OfficeContentNode): string =>
  (cell.children ?? []).length === 0
    ? plain(cell)
    : (cell.children ?? [])
        .map((child) => (child.children?.length ? cellText(child) : plain(child)))
        .join(' ')
        .replace(/\s+/g, ' ')
        .trim();

function table(node: OfficeContentNode): Table {
  const rows = (node.children ?? []).filter((row) => row.type === 'row');
  return {
    type: 'table',
    children: rows.map((row) => ({
      type: 'tableRow',
      children: (row.children ?? []).map((cell) => ({ type: 'tableCell', children: [{ type: 'text', value: cellText(cell) }] })),
    })),
  };
}

/** Consecutive list items with their levels, as nested lists. */
function nestLists(items: readonly Leveled[]): List {
  const first = items[0];
  const list: List = { type: 'list', ordered: first?.ordered ?? false, spread: false, children: [] };
  for (let at = 0; at < items.length;) {
    const item = items[at];
    if (item === undefined) break;
    let next = at + 1;
    while ((items[next]?.level ?? -1) > item.level) next++;
    const inner = items.slice(at + 1, next);
    list.children.push({
      type: 'listItem',
      spread: false,
      children: inner.length === 0 ? item.content : [...item.content, nestLists(inner)],
    });
    at = next;
  }
  return list;
}

function block(node: OfficeContentNode): Block[] {
  switch (node.type) {
    case 'heading': {
      const title = plain(node);
      const depth = Math.min(6, Math.max(1, node.metadata?.level ?? 1)) as 1 | 2 | 3 | 4 | 5 | 6;
      return title === '' ? [] : [{ type: 'heading', depth, children: [{ type: 'text', value: title }] }];
    }
    case 'table':
      return [table(node)];
    case 'code':
      return [{ type: 'code', value: node.text ?? '' }];
    case 'image':
      return node.metadata?.altText ? [{ type: 'paragraph', children: [{ type: 'text', value: node.metadata.altText }] }] : [];
    case 'note': {
      const words = plain(node);
      return words === ''
        ? []
        : [
            {
              type: 'paragraph',
              children: [{ type: 'text', value: node.metadata?.slideNumber === undefined ? words : `Notes: ${words}` }],
            },
          ];
    }
    case 'paragraph':
    case 'text':
    case 'list': {
      const children = merged(phrasing(node));
      return children.length === 0 ? [] : [{ type: 'paragraph', children }];
    }
    case 'chart':
    case 'comment':
    case 'break':
      return [];
    default:
      return blocks(node.children ?? []);
  }
}

function blocks(nodes: readonly OfficeContentNode[]): Block[] {
  const result: Block[] = [];
  let items: Leveled[] = [];
  const closeList = (): void => {
    if (items.length > 0) result.push(nestLists(items));
    items = [];
  };
  for (const node of nodes) {
    const content = block(node);
    if (node.type === 'list') {
      if (content.length > 0)
        items.push({ ordered: node.metadata?.listType === 'ordered', level: node.metadata?.indentation ?? 0, content });
      continue;
    }
    if (content.length === 0) continue;
    closeList();
    result.push(...content);
  }
  closeList();
  // Footnotes are attached to their paragraphs; write them after the text.
  for (const node of nodes) result.push(...(node.type === 'slide' ? [] : (node.notes ?? []).flatMap(block)));
  return result;
}

/** Converts officeparser's tree to a Markdown tree: headings, paragraphs, nested lists, tables, notes. */
export const officeTree = (nodes: readonly OfficeContentNode[]): Root => ({ type: 'root', children: blocks(nodes) });
