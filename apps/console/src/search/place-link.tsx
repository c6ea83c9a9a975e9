import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Hit } from '@palimpsest/client';
import { inTime } from '../past/as-of.ts';
import { useAsOf } from '../past/use-as-of.ts';

type Place = Pick<Hit, 'documentId' | 'index'>;

/** The link to a result: its chunk in its document, at the same moment. */
export function PlaceLink({ place: { documentId, index }, children }: Readonly<{ place: Place; children: ReactNode }>) {
  return <Link to={inTime(`/documents/${documentId}?chunk=${index + 1}`, useAsOf())}>{children}</Link>;
}
