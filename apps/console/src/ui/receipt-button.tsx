import { useMutation } from '@tanstack/react-query';
import { ProblemNotice } from './problem-notice.tsx';
import { saveJson } from './save-json.ts';

type Props = Readonly<{ file: string; of: string; get: () => Promise<unknown> }>;

/** Downloads a signed receipt as a file, which `palimpsest receipt check` checks. */
export function ReceiptButton({ file, of, get }: Props) {
  const save = useMutation({ mutationFn: get, onSuccess: (receipt) => saveJson(file, receipt) });
  return (
    <>
      <button type="button" className="button" disabled={save.isPending} onClick={() => save.mutate()}>
        Download the receipt<span className="visually-hidden"> of {of}</span>
      </button>
      <ProblemNotice error={save.error} />
    </>
  );
}
