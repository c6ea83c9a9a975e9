import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';

/** Path of the previous page. Undefined on the first page, which a screen reader reads from the top. */
let visited: string | undefined;

type Props = Readonly<{ children: string; lead?: ReactNode; actions?: ReactNode }>;

/** The heading of a page. It gets the focus after a navigation, so that screen readers announce the new page. */
export function PageTitle({ children, lead, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    document.title = `${children} · Palimpsest`;
  }, [children]);
  useEffect(() => {
    if (visited !== undefined && visited !== pathname) heading.current?.focus();
    visited = pathname;
  }, [pathname]);
  return (
    <header className="page-title">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {children}
        </h1>
        {lead !== undefined && <p className="lead">{lead}</p>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}
