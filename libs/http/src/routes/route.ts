import 'reflect-metadata';
import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, Res, type ExecutionContext, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyReply } from 'fastify';
import { routerPath, type InputOf, type ResponseOf, type RouteContract, type Undeclared } from '@palimpsest/contracts/http';
import { requireRole } from '@palimpsest/knowledge/access';
import { callerIn, type AuthenticatedRequest, type CallerContext } from './caller.ts';
import { inputOf } from './input.ts';
import { policyFor } from './route-policy.ts';

type Exchange = Readonly<{ request: AuthenticatedRequest; reply: FastifyReply }>;

/** What the handler of a route receives: the parsed request and, unless the route is public, the caller. */
export type Call<Contract extends RouteContract> = InputOf<Contract> &
  Exchange &
  (Contract extends { public: true } ? unknown : CallerContext);

type Handler<Contract extends RouteContract> = (call: Call<Contract>) => ResponseOf<Contract> | Promise<ResponseOf<Contract>>;

type Extra<Contract extends RouteContract, Method extends Handler<Contract>> = Undeclared<
  Awaited<ReturnType<Method>>,
  ResponseOf<Contract>
>;

/** Accepts a handler only if its response has no fields that the contract does not declare. */
type Declared<Contract extends RouteContract, Method extends Handler<Contract>> = [Extra<Contract, Method>] extends [never]
  ? unknown
  : Readonly<{ 'fields that the contract does not declare': Extra<Contract, Method> }>;

/** The role is checked before the request is parsed: a caller without it learns nothing about the expected values. */
const CallOf = createParamDecorator((contract: RouteContract, context: ExecutionContext): unknown => {
  const http = context.switchToHttp();
  const request = http.getRequest<AuthenticatedRequest>();
  const caller = contract.public === true ? undefined : callerIn(request);
  if (caller && contract.role !== undefined) requireRole(caller.access, contract.role, contract.orRole);
  return { ...inputOf(contract, request), ...caller, request, reply: http.getResponse<FastifyReply>() };
});

const METHODS = {
  get: RequestMethod.GET,
  post: RequestMethod.POST,
  put: RequestMethod.PUT,
  patch: RequestMethod.PATCH,
  delete: RequestMethod.DELETE,
} as const;

/**
 * Makes a method of a controller the handler of a route. The compiler refuses a handler that expects another request or returns another
 * response than the contract states.
 */
export const Route =
  <Contract extends RouteContract>(contract: Contract) =>
  <Method extends Handler<Contract>>(
    controller: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method> & Declared<Contract, Method>,
  ): void => {
    RequestMapping({ path: routerPath(contract.path), method: METHODS[contract.method] })(controller, name, descriptor);
    HttpCode(contract.status)(controller, name, descriptor);
    RouteConfig({ contract, policy: policyFor(contract) })(controller, name, descriptor);
    CallOf(contract)(controller, name, 0);
    // Nest leaves the response to a handler that asks for the reply.
    if (contract.stream !== undefined) Res()(controller, name, 1);
  };

/** The contracts of the routes that a controller handles. */
export const contractsOf = ({ prototype }: Type<object>): readonly RouteContract[] =>
  Object.values(Object.getOwnPropertyDescriptors(prototype)).flatMap(({ value }) => {
    const config =
      typeof value === 'function'
        ? (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, value) as Readonly<{ contract?: RouteContract }> | undefined)
        : undefined;
    return config?.contract === undefined ? [] : [config.contract];
  });
