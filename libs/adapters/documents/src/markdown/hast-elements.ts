import type { Element, Nodes } from 'hast';

/** Every element below a node, in document order. */
export function* elementsOf(node: Nodes): Generator<Element> {
  if (!('children' in node)) return;
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    yield child;
    yield* elementsOf(child);
  }
}

/** All text below a node, unchanged from the source. */
export const textOf = (node: Nodes): string =>
  node.type === 'text' ? node.value : 'children' in node ? node.children.map(textOf).join('') : '';

/** Number of characters of text below a node, without blanks at the ends of each text node. */
export const textLength = (node: Nodes): number =>
  node.type === 'text'
    ? node.value.trim().length
    : 'children' in node
      ? node.children.reduce((sum, child) => sum + textLength(child), 0)
      : 0;

/** Whether an element has one of these classes. */
export const hasClass = (element: Element, classes: ReadonlySet<string>): boolean => {
  const own = element.properties['className'];
  return Array.isArray(own) && own.some((name) => classes.has(String(name)));
};

/** Removes unwanted elements with their content, and all comments, from a tree. */
export function removeElements(node: Nodes, isUnwanted: (element: Element, parent: Nodes) => boolean): void {
  if (!('children' in node)) return;
  node.children = node.children.filter(
    (child) => child.type !== 'comment' && (child.type !== 'element' || !isUnwanted(child, node)),
  ) as typeof node.children;
  for (const child of node.children) removeElements(child, isUnwanted);
}
