import type { Element, Nodes, Root } from 'hast';
import { elementsOf, hasClass, removeElements, textLength } from './hast-elements.ts';

/** Never content, wherever they stand. */
const NEVER = new Set(['script', 'style', 'noscript', 'template', 'svg', 'annotation', 'iframe', 'object', 'embed', 'canvas', 'video', 'audio', 'button', 'select', 'input', 'textarea', 'dialog', 'nav', 'link', 'meta']);
const NEVER_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'alert', 'dialog']);
/** Marks that page generators put beside headings, and words for screen readers only. */
const MARKS = new Set(['headerlink', 'anchorjs-link', 'hash-link', 'heading-anchor', 'header-anchor', 'permalink', 'heading-link', 'sr-only', 'visually-hidden', 'edit-this-page', 'editsection', 'mw-editsection']);
/** Around the content, on pages that do not mark their content. */
const AROUND = new Set(['sidebar', 'sphinxsidebar', 'breadcrumbs', 'breadcrumb', 'site-header', 'site-footer', 'cookie-banner', 'skip-link', 'footer']);

/** Where pages keep their content, the surest first. */
const PLACES: ReadonlyArray<(element: Element) => boolean> = [
  ({ tagName }) => tagName === 'main',
  ({ properties }) => properties['role'] === 'main',
  ({ properties }) => ['content', 'main-content', 'main'].includes(String(properties['id'])),
  (element) => hasClass(element, new Set(['markdown-body', 'document', 'body'])),
  ({ tagName }) => tagName === 'article',
];
/** The chosen place must hold this much of the page's text; otherwise the whole page is taken. */
const SHARE_OF_TEXT = 0.3;

/** Styles that leave nothing to see: what stands there is not meant for readers, and may be meant for a model. */
const UNSEEN = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))/i;
const LONGEST_STYLE = 2_000;
const isUnseen = (style: unknown): boolean => typeof style === 'string' && UNSEEN.test(style.slice(0, LONGEST_STYLE));

const isNever = (element: Element): boolean =>
  NEVER.has(element.tagName) ||
  NEVER_ROLES.has(String(element.properties['role'])) ||
  // React and Vue write `hidden` for what scripts unfold; `until-found` is meant to be read.
  element.properties['hidden'] === true ||
  element.properties['ariaHidden'] === 'true' ||
  isUnseen(element.properties['style']) ||
  hasClass(element, MARKS) ||
  isBareAnchor(element);

/** A link beside a heading that says nothing: `#`, `¶`, or no words at all. */
const isBareAnchor = (element: Element): boolean =>
  element.tagName === 'a' && hasClass(element, new Set(['anchor'])) && textLength(element) <= 1;

/** Headers, footers and asides of the page itself; those inside articles belong to them. */
function isAround(element: Element, parent: Nodes): boolean {
  if (element.tagName === 'footer' || hasClass(element, AROUND) || element.properties['role'] === 'complementary') return true;
  if (['sidebar', 'footer', 'header'].includes(String(element.properties['id']))) return true;
  return parent.type === 'element' && parent.tagName === 'body' && (element.tagName === 'header' || element.tagName === 'aside');
}

/**
 * The part of a page that is its content: `main`, `#content` and their like, or the body without what stands around it; with
 * `whole` the body. Changes the tree. (Readability-like scoring was measured to lose a third of the words of manuals.)
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
