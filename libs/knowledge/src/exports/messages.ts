export { on, type Handler, type UseCase } from '../messages/handler.ts';
export {
  command,
  Message,
  NO_ROWS,
  query,
  type AnyMessageClass,
  type Caller,
  type Checks,
  type MessageClass,
  type QueryChecks,
} from '../messages/message.ts';
export type { Operation } from '../messages/operation.ts';
