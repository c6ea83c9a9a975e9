import type { ReactNode } from 'react';

/** Says that a page has no content, and what to do next. */
export function EmptyState({ title, children }: Readonly<{ title: string; children?: ReactNode }>) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
