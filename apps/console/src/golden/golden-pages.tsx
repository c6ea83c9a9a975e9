import { Route, Routes } from 'react-router';
import { NoSuchPage } from '../shell/no-such-page.tsx';
import { GoldenPage } from './golden-page.tsx';
import { JudgePage } from './judge-page.tsx';
import { SetPage } from './set-page.tsx';

/** The pages about golden queries: loaded together, when the first of them is opened. */
export function GoldenPages() {
  return (
    <Routes>
      <Route index element={<GoldenPage />} />
      <Route path="judge" element={<JudgePage />} />
      <Route path="sets/:scope/:set" element={<SetPage />} />
      <Route path="*" element={<NoSuchPage />} />
    </Routes>
  );
}
