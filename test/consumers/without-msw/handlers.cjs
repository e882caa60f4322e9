const { handlers } = require('gateway-understudy/msw')

handlers()
