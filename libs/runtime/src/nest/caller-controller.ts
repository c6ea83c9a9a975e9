import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CallerContext } from '../access/caller.ts';

/** Permissions of the API key in use, so that a client can offer only permitted actions. */
@ApiTags('API keys')
@Controller('v1/me')
export class CallerController {
  @Get()
  @ApiOperation({ summary: 'Get tenant, teams, user and roles of the API key in use' })
  me(@Caller() { access: { tenant, teams, user, roles } }: CallerContext) {
    return { tenant, teams, roles, ...(user === undefined ? {} : { user }) };
  }
}
