import { Link, useSearchParams } from 'react-router';
import type { DocumentVersion } from '@palimpsest/client';
import { bytes, count, dateTime } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { ChooseVersions } from './choose-versions.tsx';
import { readableVersions, versionChoiceIn, withVersionChoice } from './version-choice.ts';
import { VersionDiff } from './version-diff.tsx';
import { VersionText } from './version-text.tsx';

type Props = Readonly<{ documentId: string; versions: readonly DocumentVersion[] }>;

/** The versions as a table; the text of one of them, or the difference of two, below it. */
export function Versions({ documentId, versions }: Props) {
  const [parameters] = useSearchParams();
  const readable = readableVersions(versions);
  const choice = versionChoiceIn(parameters);
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <div className="table-box" role="group" aria-label="Versions, as a table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">
                Version
              </th>
              <th scope="col">Status</th>
              <th scope="col" className="number">
                Chunks
              </th>
              <th scope="col" className="number">
                Size
              </th>
              <th scope="col">Added</th>
              <th scope="col">Finished</th>
              <th scope="col">Checksum</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          <tbody>
            {[...versions]
              .sort((one, other) => other.version - one.version)
              .map(({ version, status, chunks, bytes: size, submittedAt, finishedAt, checksum, reason }) => (
                <tr key={version}>
                  <th scope="row" className="number">
                    {version}
                  </th>
                  <td>
                    <StatusBadge status={status} />
                    {reason !== undefined && <span className="under bad-text">{reason}</span>}
                  </td>
                  <td className="number">{chunks === undefined ? '–' : count(chunks)}</td>
                  <td className="number">{bytes(size)}</td>
                  <td className="when">{dateTime(submittedAt)}</td>
                  <td className="when">{finishedAt === undefined ? '–' : dateTime(finishedAt)}</td>
                  <td>
                    <code className="id" title={checksum}>
                      {checksum.slice(0, 12)}…
                    </code>
                  </td>
                  <td>
                    {readable.includes(version) && (
                      <Link to={{ search: withVersionChoice(parameters, { text: version }).toString() }} preventScrollReset>
                        Show<span className="visually-hidden"> the text of version {version}</span>
                      </Link>
                    )}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {readable.length > 1 && <ChooseVersions key={parameters.toString()} readable={readable} choice={choice} />}
      {choice !== undefined && 'text' in choice && <VersionText key={choice.text} documentId={documentId} version={choice.text} />}
      {choice !== undefined && 'from' in choice && <VersionDiff documentId={documentId} versions={choice} />}
    </section>
  );
}
