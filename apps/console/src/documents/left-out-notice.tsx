import { LEFT_OUT_BECAUSE } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import type { Picked } from '../uploads/dropped-files.ts';

/** How many are named. Of the others, only the number is shown. */
const SHOWN = 50;

/** What of the last choice was not sent, and what was sent although its name is that of a file with secrets. */
export function LeftOutNotice({ leftOut, secrets }: Pick<Picked, 'leftOut' | 'secrets'>) {
  return (
    <>
      {secrets.length > 0 && (
        <p className="notice bad" role="alert">
          {secrets.join(', ')}: the name is that of a file with passwords or keys. It is sent, since you chose it on its own. If you did not mean to, cancel it below or delete the document.
        </p>
      )}
      {leftOut.length > 0 && (
        <details className="left-out">
          <summary role="status">{counted(leftOut.length, 'file or folder', 'files or folders')} not sent</summary>
          <ul>
            {leftOut.slice(0, SHOWN).map(({ path, reason }) => <li key={path}>{path}: {LEFT_OUT_BECAUSE[reason]}</li>)}
          </ul>
          {leftOut.length > SHOWN && <p className="hint">{leftOut.length - SHOWN} more are not shown.</p>}
          <p className="hint">To send one of them all the same, choose it on its own.</p>
        </details>
      )}
    </>
  );
}
