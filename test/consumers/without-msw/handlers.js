import { handlers } from 'gateway-understudy/msw'

handlers()
