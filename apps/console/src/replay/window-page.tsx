import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { PageTitle } from '../shell/page-title.tsx';
import { candidateOf, parametersOf as candidateParameters } from './candidate.ts';
import { RunWindow } from './run-window.tsx';
import { WindowForm } from './window-form.tsx';
import { parametersOf, windowOf } from './window.ts';

/** Many past searches at once. Nothing runs before the form is submitted: a window may take minutes. */
export function ReplayWindowPage() {
  const [parameters, setParameters] = useSearchParams();
  /** Counts the runs: another one replaces what an earlier one showed. */
  const [run, setRun] = useState(0);
  const [window, candidate] = [windowOf(parameters), candidateOf(parameters)];
  return (
    <>
      <PageTitle lead="Many past searches, run again and compared: before a change or after it, how much would they change? Nothing is recorded and nothing changes.">
        Replay past searches
      </PageTitle>
      <WindowForm
        key={parameters.toString()}
        given={{ window, candidate }}
        onRun={(chosen) => {
          setParameters({ ...parametersOf(chosen.window), ...candidateParameters(chosen.candidate) });
          setRun(run + 1);
        }}
      />
      {run > 0 && <RunWindow key={`${run} ${parameters.toString()}`} window={window} candidate={candidate} />}
    </>
  );
}
