import { ProblemError } from '@palimpsest/client';
import { GoldenFileError, placeOf, type GoldenFile } from '@palimpsest/client/golden-files';
import { SaveProblem } from './save-problem.tsx';

type Found = Readonly<{ file: string; line: number | undefined; field: string | undefined; expected: string }>;
type Props = Readonly<{ set: string; file: GoldenFile | undefined; error: unknown }>;

/** What is wrong with the files, by the line and the field, whether the page or the server found it. */
export function FileProblem({ set, file, error }: Props) {
  const found = foundIn(error, file);
  if (found === undefined) return <SaveProblem error={error} set={set} />;
  return (
    <div className="notice bad" role="alert">
      <p className="notice-title">Nothing was imported</p>
      <p>
        {found.file}
        {found.line !== undefined && ` line ${found.line}`}
        {found.field !== undefined && (
          <>
            , field <code>{found.field}</code>
          </>
        )}
        : {found.line === undefined ? 'expected' : 'must be'} {found.expected}.
      </p>
    </div>
  );
}

const foundIn = (error: unknown, file: GoldenFile | undefined): Found | undefined => {
  if (error instanceof GoldenFileError) return error;
  if (!(error instanceof ProblemError) || error.field === undefined || file === undefined) return undefined;
  const place = placeOf(file, error.field);
  return place && { ...place, expected: error.expected ?? error.detail };
};
