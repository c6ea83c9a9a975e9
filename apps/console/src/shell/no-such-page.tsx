import { Link } from 'react-router';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageTitle } from './page-title.tsx';

export function NoSuchPage() {
  return (
    <>
      <PageTitle>No such page</PageTitle>
      <EmptyState title="There is nothing at this address">
        <p>It may be mistyped, or your key does not open it. <Link to="/">Go to the first page</Link></p>
      </EmptyState>
    </>
  );
}
