import { ProblemNotice } from '../ui/problem-notice.tsx';
import { isConflict } from './use-golden.ts';

/** Why a set was not saved. */
export function SaveProblem({ error, set }: Readonly<{ error: unknown; set: string }>) {
  if (!isConflict(error)) return <ProblemNotice error={error} />;
  return (
    <div className="notice bad" role="alert">
      <p className="notice-title">Another user changed “{set}” in the meantime</p>
      <p>Nothing was saved. This page now shows the current version, and your changes are still here: check them and save again.</p>
    </div>
  );
}
