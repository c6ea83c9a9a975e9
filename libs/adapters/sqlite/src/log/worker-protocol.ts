/** The calls that a worker supports: by name, the request and its answer (structured-clonable values). */
export type Calls = Record<string, { request: unknown; answer: unknown }> & {
  /** The first call, repeated after a crash. */
  open: { request: unknown; answer: unknown };
  /** The last call; the worker ends after its answer. */
  close: { request: null; answer: unknown };
};

/** An error that is sent between threads, which does not preserve its class. */
export type Fault =
  | Readonly<{ code: 'Corrupt' | 'Unavailable'; message: string }>
  | Readonly<{ code: 'InvalidValue'; field: string; expected: string; got: string }>;

/** Thrown inside a worker. The main thread converts it to the KnowledgeError of the same code. */
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
  Readonly<{ call: number; outcome: 'answered'; answer: unknown }> | Readonly<{ call: number; outcome: 'failed'; fault: Fault }>;
