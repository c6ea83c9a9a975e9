import type { DocumentVersion } from '@palimpsest/client';
import { bytes, count, dateTime } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';

export function Versions({ versions }: Readonly<{ versions: readonly DocumentVersion[] }>) {
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
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
