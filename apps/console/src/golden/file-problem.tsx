import { ProblemError } from '@palimpsest/client';
import { FileError, placeOf, type GoldenFile } from './golden-file.ts';
import { SaveProblem } from './save-problem.tsx';

type Place = Readonly<{ line: number; field: string | undefined; expected: string }>;
type Props = Readonly<{ name: string; set: string; file: GoldenFile | undefined; error: unknown }>;

/** What is wrong with a file, by the line and the field in the file, whether the page or the server found it. */
export function FileProblem({ name, set, file, error }: Props) {
  const place = placeOfError(error, file);
  if (place === undefined) return <SaveProblem error={error} set={set} />;
  return (
    <div className="notice bad" role="alert">
      <p className="notice-title">Nothing was imported</p>
      <p>
        {name} line {place.line}
        {place.field !== undefined && (
          <>
            , field <code>{place.field}</code>
          </>
        )}
        : must be {place.expected}.
      </p>
    </div>
  );
}

const placeOfError = (error: unknown, file: GoldenFile | undefined): Place | undefined => {
  if (error instanceof FileError) return { line: error.line, field: error.field, expected: error.message };
  if (!(error instanceof ProblemError) || error.field === undefined || file === undefined) return undefined;
  const place = placeOf(file, error.field);
  return place && { ...place, expected: error.expected ?? error.detail };
};
