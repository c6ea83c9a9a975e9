import type { Rights } from '../session/rights.ts';

export type Page = Readonly<{ path: string; name: string; icon: string; open: (rights: Rights) => boolean }>;

/** In the order of the navigation. `icon` is the path of a drawing in a 24 × 24 box. */
const PAGES: readonly Page[] = [
  { path: '/search', name: 'Search', open: ({ reads }) => reads, icon: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm4.8 11.3L20 20' },
  { path: '/documents', name: 'Documents', open: ({ reads }) => reads, icon: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6' },
  {
    path: '/knowledge-bases',
    name: 'Knowledge bases',
    open: ({ reads }) => reads,
    icon: 'M4 19V5a2 2 0 0 1 2-2h14v14H6a2 2 0 0 0 0 4h14v-4',
  },
  {
    path: '/timeline',
    name: 'Timeline',
    open: ({ reads }) => reads,
    icon: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM12 8v4.5l3 2',
  },
  { path: '/events', name: 'Events', open: () => true, icon: 'M5 6h.01M5 12h.01M5 18h.01M9 6h11M9 12h11M9 18h11' },
  { path: '/overview', name: 'Overview', open: () => true, icon: 'M4 20V10M10 20V4M16 20v-7M22 20H2' },
  { path: '/models', name: 'Models', open: () => true, icon: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9' },
  { path: '/swaps', name: 'Swaps', open: ({ reads }) => reads, icon: 'M4 8h14l-4-4M20 16H6l4 4' },
  {
    path: '/golden-queries',
    name: 'Golden queries',
    open: ({ reads }) => reads,
    icon: 'M12 3l2.7 5.6 6.1.8-4.5 4.2 1.2 6.1L12 16.7l-5.5 3 1.2-6.1-4.5-4.2 6.1-.8z',
  },
  {
    path: '/fleets',
    name: 'Fleets',
    open: ({ administers, operates }) => administers || operates,
    icon: 'M3 6h8M3 12h13M3 18h18M15 3l3 3-3 3M19 9l3 3-3 3',
  },
  {
    path: '/erasure',
    name: 'Erasure',
    open: ({ administers, operates }) => administers || operates,
    icon: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  },
  { path: '/dead-letters', name: 'Dead letters', open: ({ operates }) => operates, icon: 'M3 6h18v12H3zM3 7l9 7 9-7' },
];

export const openPages = (rights: Rights): readonly Page[] => PAGES.filter(({ open }) => open(rights));
