import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { CommandBus, CommandHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { AnyMessageClass, Handler, Message, Operation } from '@palimpsest/knowledge/messages';
import { pipeline } from './pipeline.ts';

type Execute = (message: Message<unknown, unknown>) => Promise<unknown>;

/** The buses resolve handlers that live as long as a request with it. Ours live as long as the process. */
const NO_MODULES = undefined as unknown as ModuleRef;

/** Sends commands and queries to their use cases, through the pipeline: the only way from the edge into the process. */
export class Buses {
  readonly #commands = new CommandBus(NO_MODULES);
  readonly #queries = new QueryBus(NO_MODULES);
  readonly #operations = new Set<Operation>();

  /** @throws Error if a message has two handlers */
  constructor(handlers: readonly Handler[], quotas: Pick<QuotaPolicy, 'request'>) {
    const through = pipeline(quotas);
    const handled = new Set<AnyMessageClass>();
    for (const handler of handlers) {
      const { message } = handler;
      if (handled.has(message)) throw new Error(`the ${message.kind} ${message.name} has two handlers`);
      handled.add(message);
      this.#operations.add(message.operation);
      this.#register(message, through(handler));
    }
  }

  /** Whether a message of the operation has a handler in this process. */
  handles(operation: Operation): boolean {
    return this.#operations.has(operation);
  }

  /** @throws the errors of the pipeline and of the use case */
  async execute<Result>(message: Message<unknown, Result>): Promise<Result> {
    const { kind } = message.constructor as unknown as AnyMessageClass;
    return kind === 'command'
      ? this.#commands.execute<typeof message, Result>(message)
      : this.#queries.execute<typeof message, Result>(message);
  }

  #register(message: AnyMessageClass, execute: Execute): void {
    class PipelinedHandler {
      readonly execute = execute;
    }
    const target = message as unknown as Type<Message<unknown, unknown>>;
    const wrapper = new InstanceWrapper({
      name: message.name,
      metatype: PipelinedHandler,
      instance: new PipelinedHandler(),
      isResolved: true,
    });
    if (message.kind === 'command') {
      CommandHandler(target)(PipelinedHandler);
      this.#commands.register([wrapper]);
    } else {
      QueryHandler(target)(PipelinedHandler);
      this.#queries.register([wrapper]);
    }
  }
}
