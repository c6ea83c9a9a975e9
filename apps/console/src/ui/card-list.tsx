import type { ReactNode } from 'react';
import { ProblemNotice } from './problem-notice.tsx';

type Props<T> = Readonly<{
  /** Undefined while they are loading. */
  items: readonly T[] | undefined;
  error: unknown;
  isPending: boolean;
  /** What was just done, and anything else that a screen reader should announce. */
  status: ReactNode;
  /** Shown if there are no items. */
  empty: ReactNode;
  card: (item: T) => ReactNode;
}>;

/** A page's list of cards, with what is shown while it loads, after an error, and if it is empty. */
export function CardList<T>({ items, error, isPending, status, empty, card }: Props<T>) {
  return (
    <>
      <ProblemNotice error={error} />
      {isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      <p className="result-line" role="status">
        {status}
      </p>
      {items?.length === 0 && empty}
      <ul className="letters">{items?.map(card)}</ul>
    </>
  );
}
