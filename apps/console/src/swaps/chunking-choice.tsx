import { ChunkingInputs } from '../knowledge-bases/chunking-inputs.tsx';
import { Field } from '../ui/field.tsx';
import type { ChunkingChoice } from './swap-chunking.ts';

type Props = Readonly<{ choice: ChunkingChoice; onChange: (choice: ChunkingChoice) => void }>;

export function ChunkingChoiceFields({ choice, onChange }: Props) {
  return (
    <>
      <Field
        label="Chunks"
        hint="Documents are chunked again from their stored uploads. Both chunkings stand side by side until the retirement."
      >
        {(given) => (
          <select
            {...given}
            value={choice.kind}
            onChange={({ target }) => onChange({ ...choice, kind: target.value as ChunkingChoice['kind'] })}
          >
            <option value="present">as now</option>
            <option value="knowledge-base">again, with the present settings of each knowledge base</option>
            <option value="settings">again, with other settings for all knowledge bases</option>
          </select>
        )}
      </Field>
      {choice.kind === 'settings' && <ChunkingInputs numbers={choice.numbers} onChange={(numbers) => onChange({ ...choice, numbers })} />}
    </>
  );
}
