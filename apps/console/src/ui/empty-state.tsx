import type { ReactNode } from 'react';

/** Nothing is here yet; what to do next. */
export function EmptyState({ title, children }: Readonly<{ title: string; children?: ReactNode }>) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
