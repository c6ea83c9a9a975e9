import { Link } from 'react-router';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageTitle } from './page-title.tsx';

export function NoSuchPage() {
  return (
    <>
      <PageTitle>Page not found</PageTitle>
      <EmptyState title="Nothing exists at this address">
        <p>
          Check the address. Your key may not have access to this page. <Link to="/">Go to the start page</Link>
        </p>
      </EmptyState>
    </>
  );
}
