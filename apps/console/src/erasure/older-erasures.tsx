type Props = Readonly<{ of: string; hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }>;

/** Shown as long as the log has more of them. */
export function OlderErasures({ of, hasNextPage, isFetchingNextPage, fetchNextPage }: Props) {
  if (!hasNextPage) return null;
  return (
    <p className="more">
      <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? 'Loading…' : `Show older erasures of ${of}`}
      </button>
    </p>
  );
}
