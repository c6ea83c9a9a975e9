/** A table of what can be asked of a worker: by name, the request and its answer (structured-clonable values). */
export type Calls = Record<string, { request: unknown; answer: unknown }> & {
  /** Comes first, again after a crash. */
  open: { request: unknown; answer: unknown };
  /** Comes last; the worker ends after its answer. */
  close: { request: null; answer: unknown };
};

/** An error on its way between threads, where classes are lost. */
export type Fault =
  | Readonly<{ code: 'Corrupt' | 'Unavailable'; message: string }>
  | Readonly<{ code: 'InvalidValue'; field: string; expected: string; got: string }>;

/** Thrown inside a worker; arrives in the main thread as the KnowledgeError of the same code. */
export class WorkerFault extends Error {
  override readonly name = 'WorkerFault';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super('message' in fault ? fault.message : `${fault.field}: expected ${fault.expected}, got ${fault.got}`);
    this.fault = fault;
  }
}

export type CallMessage<C extends Calls> = {
  [Kind in keyof C & string]: Readonly<{ call: number; kind: Kind; request: C[Kind]['request'] }>;
}[keyof C & string];

export type ReplyMessage =
  | Readonly<{ call: number; outcome: 'answered'; answer: unknown }>
  | Readonly<{ call: number; outcome: 'failed'; fault: Fault }>;
