import type { Element, Nodes, Root } from 'hast';
import { elementsOf, hasClass, removeElements, textLength } from './hast-elements.ts';

/** Elements that are never content. */
const NEVER = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'annotation',
  'iframe',
  'object',
  'embed',
  'canvas',
  'video',
  'audio',
  'button',
  'select',
  'input',
  'textarea',
  'dialog',
  'nav',
  'link',
  'meta',
]);
const NEVER_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'alert', 'dialog']);
/** Anchors that page generators put next to headings, and text for screen readers only. */
const MARKS = new Set([
  'headerlink',
  'anchorjs-link',
  'hash-link',
  'heading-anchor',
  'header-anchor',
  'permalink',
  'heading-link',
  'sr-only',
  'visually-hidden',
  'edit-this-page',
  'editsection',
  'mw-editsection',
]);
/** Classes of elements around the content, for pages that do not mark their content. */
const AROUND = new Set([
  'sidebar',
  'sphinxsidebar',
  'breadcrumbs',
  'breadcrumb',
  'site-header',
  'site-footer',
  'cookie-banner',
  'skip-link',
  'footer',
]);

/** Elements that contain the content of a page, most reliable first. */
const PLACES: ReadonlyArray<(element: Element) => boolean> = [
  ({ tagName }) => tagName === 'main',
  ({ properties }) => properties['role'] === 'main',
  ({ properties }) => ['content', 'main-content', 'main'].includes(String(properties['id'])),
  (element) => hasClass(element, new Set(['markdown-body', 'document', 'body'])),
  ({ tagName }) => tagName === 'article',
];
/** The chosen element must contain this share of the page's text; otherwise the whole page is used. */
const SHARE_OF_TEXT = 0.3;

/** Styles that hide an element: its text is not meant for readers, but possibly for a model. */
const HIDDEN_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))/i;
const LONGEST_STYLE = 2_000;
const isHiddenByStyle = (style: unknown): boolean => typeof style === 'string' && HIDDEN_STYLE.test(style.slice(0, LONGEST_STYLE));

const isNever = (element: Element): boolean =>
  NEVER.has(element.tagName) ||
  NEVER_ROLES.has(String(element.properties['role'])) ||
  // React and Vue write `hidden` for content that scripts reveal; `until-found` is meant to be read.
  element.properties['hidden'] === true ||
  element.properties['ariaHidden'] === 'true' ||
  isHiddenByStyle(element.properties['style']) ||
  hasClass(element, MARKS) ||
  isBareAnchor(element);

/** A link next to a heading without meaningful text: `#`, `¶`, or none. */
const isBareAnchor = (element: Element): boolean =>
  element.tagName === 'a' && hasClass(element, new Set(['anchor'])) && textLength(element) <= 1;

/** Headers, footers and asides of the page itself; those inside articles belong to them. */
function isAround(element: Element, parent: Nodes): boolean {
  if (element.tagName === 'footer' || hasClass(element, AROUND) || element.properties['role'] === 'complementary') return true;
  if (['sidebar', 'footer', 'header'].includes(String(element.properties['id']))) return true;
  return parent.type === 'element' && parent.tagName === 'body' && (element.tagName === 'header' || element.tagName === 'aside');
}

/**
 * Returns the content of a page: `main`, `#content` and similar elements, or the body without the parts around the content; with
 * `whole` the body. Changes the tree. (Readability-like scoring lost a third of the words of manuals in measurements.)
 */
export function mainContent(tree: Root, part: 'main' | 'whole'): Root {
  removeElements(tree, isNever);
  const elements = [...elementsOf(tree)];
  const body = elements.find(({ tagName }) => tagName === 'body') ?? tree;
  if (part === 'whole') return asRoot(body);
  const enough = textLength(body) * SHARE_OF_TEXT;
  for (const isPlace of PLACES) {
    const place = elements.find((element) => isPlace(element) && textLength(element) >= enough);
    if (place !== undefined) return asRoot(place);
  }
  removeElements(tree, isAround);
  return asRoot(body);
}

const asRoot = (node: Root | Element): Root => (node.type === 'root' ? node : { type: 'root', children: [node] });
