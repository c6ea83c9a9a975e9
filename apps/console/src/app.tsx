import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { DeadLettersPage } from './dead-letters/dead-letters-page.tsx';
import { DocumentPage } from './documents/document-page.tsx';
import { DocumentsPage } from './documents/documents-page.tsx';
import { EventPage } from './events/event-page.tsx';
import { EventsPage } from './events/events-page.tsx';
import { FleetsPage } from './fleets/fleets-page.tsx';
import { KnowledgeBasePage } from './knowledge-bases/knowledge-base-page.tsx';
import { KnowledgeBasesPage } from './knowledge-bases/knowledge-bases-page.tsx';
import { ModelsPage } from './models/models-page.tsx';
import { SearchPage } from './search/search-page.tsx';
import { useSession } from './session/session.ts';
import { NoSuchPage } from './shell/no-such-page.tsx';
import { openPages } from './shell/pages.ts';
import { Shell } from './shell/shell.tsx';
import { SwapsPage } from './swaps/swaps-page.tsx';
import { UploadsProvider } from './uploads/uploads.tsx';

/** Loaded on demand: no other page needs the chart library, and few people judge queries, look back or erase. */
const OverviewPage = lazy(async () => ({ default: (await import('./overview/overview-page.tsx')).OverviewPage }));

const GoldenPages = lazy(async () => ({ default: (await import('./golden/golden-pages.tsx')).GoldenPages }));

const TimelinePage = lazy(async () => ({ default: (await import('./timeline/timeline-page.tsx')).TimelinePage }));

const ReplayPage = lazy(async () => ({ default: (await import('./replay/replay-page.tsx')).ReplayPage }));

const ReplayWindowPage = lazy(async () => ({ default: (await import('./replay/window-page.tsx')).ReplayWindowPage }));

const ErasurePage = lazy(async () => ({ default: (await import('./erasure/erasure-page.tsx')).ErasurePage }));

const ELEMENTS: Readonly<Record<string, readonly Readonly<{ path: string; element: React.ReactNode }>[]>> = {
  '/search': [{ path: '/search', element: <SearchPage /> }],
  '/documents': [
    { path: '/documents', element: <DocumentsPage /> },
    { path: '/documents/:id', element: <DocumentPage /> },
  ],
  '/knowledge-bases': [
    { path: '/knowledge-bases', element: <KnowledgeBasesPage /> },
    { path: '/knowledge-bases/:id', element: <KnowledgeBasePage /> },
  ],
  // Replays are opened from a search, an event or the timeline, so they are not in the navigation.
  '/timeline': [
    { path: '/timeline', element: <TimelinePage /> },
    { path: '/replay', element: <ReplayWindowPage /> },
    { path: '/replay/:traceId', element: <ReplayPage /> },
  ],
  '/events': [
    { path: '/events', element: <EventsPage /> },
    { path: '/events/:position', element: <EventPage /> },
  ],
  '/overview': [{ path: '/overview', element: <OverviewPage /> }],
  '/models': [{ path: '/models', element: <ModelsPage /> }],
  '/swaps': [{ path: '/swaps', element: <SwapsPage /> }],
  '/golden-queries': [{ path: '/golden-queries/*', element: <GoldenPages /> }],
  '/fleets': [{ path: '/fleets', element: <FleetsPage /> }],
  '/erasure': [{ path: '/erasure', element: <ErasurePage /> }],
  '/dead-letters': [{ path: '/dead-letters', element: <DeadLettersPage /> }],
};

/** Routes only to the pages that the key may open. Every other address shows “Page not found”. */
export function App() {
  const { rights } = useSession();
  const { pathname } = useLocation();
  const pages = openPages(rights);
  return (
    <UploadsProvider>
      <Shell>
        <Suspense
          fallback={
            <p className="muted" role="status">
              Loading…
            </p>
          }
        >
          <Routes>
            <Route path="/" element={<Navigate to={pages[0]?.path ?? '/overview'} replace />} />
            {pages.flatMap(({ path }) =>
              (ELEMENTS[path] ?? []).map((route) => <Route key={route.path} path={route.path} element={route.element} />),
            )}
            <Route path="*" element={<NoSuchPage key={pathname} />} />
          </Routes>
        </Suspense>
      </Shell>
    </UploadsProvider>
  );
}
