import { LEFT_OUT_BECAUSE } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import type { Picked } from '../uploads/dropped-files.ts';

/** How many paths are listed. Of the others, only the number is shown. */
const SHOWN = 50;

/** Which files of the last selection were not uploaded, and which were uploaded although they may hold secrets. */
export function LeftOutNotice({ leftOut, secrets }: Pick<Picked, 'leftOut' | 'secrets'>) {
  return (
    <>
      {secrets.length > 0 && (
        <p className="notice bad" role="alert">
          {secrets.join(', ')}: files with such names usually hold passwords or keys. They are uploaded because you chose them individually.
          If that was a mistake, cancel the upload below or delete the document.
        </p>
      )}
      {leftOut.length > 0 && (
        <details className="left-out">
          <summary role="status">{counted(leftOut.length, 'file or folder', 'files or folders')} not uploaded</summary>
          <ul>
            {leftOut.slice(0, SHOWN).map(({ path, reason }) => (
              <li key={path}>
                {path}: {LEFT_OUT_BECAUSE[reason]}
              </li>
            ))}
          </ul>
          {leftOut.length > SHOWN && <p className="hint">{leftOut.length - SHOWN} more are not shown.</p>}
          <p className="hint">To upload one of them anyway, choose it individually.</p>
        </details>
      )}
    </>
  );
}
