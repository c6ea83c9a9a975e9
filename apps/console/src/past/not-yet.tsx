import type { LookedBack } from '@palimpsest/client';
import { asSentence } from './moment-line.ts';

/** What the request covers and what did not exist yet at the moment. */
export function NotYet({ shown }: Readonly<{ shown: LookedBack | undefined }>) {
  return shown?.notYet.map(({ kind, id, detail }) => (
    <p key={`${kind} ${id}`} className="notice">
      {asSentence(detail)}
    </p>
  ));
}
