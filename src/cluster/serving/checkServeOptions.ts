import { isClusterName } from "../../server/access/kubeconfigContextName.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { timerMillisMax } from "../../runtime/time/timerMillisMax.ts"
import { integerUpTo, InvalidOptions, mustBe, formatOptionValue } from "../../options/invalidOptions.ts"
import type { OptionChecks } from "../../options/invalidOptions.ts"
import type { ApiServerLimits } from "../../server/apiServer.ts"
import type { ServeOptions } from "./serveOptions.ts"

const portCheck = integerUpTo(65_535)

const millisIn = (duration: unknown): number =>
  (typeof duration === "string" ? parseDuration(duration) : (duration as number)) ?? Number.NaN

const timeoutCheck = mustBe('from 1ms to 24 days, in milliseconds or as in "2s"', (duration) => {
  const millis = millisIn(duration)
  return millis >= 1 && millis <= timerMillisMax
})

const countCheck = mustBe(
  "an integer above 0",
  (count) => Number.isSafeInteger(count) && (count as number) > 0
)

const booleanCheck = mustBe("true or false", (value) => typeof value === "boolean")

const checks: OptionChecks<ServeOptions> = {
  host: mustBe("a host name or an address", (host) => isText(host, /^\S+$/)),
  port: portCheck,
  name: mustBe(
    "a name of lower-case letters, digits and hyphens, at most 42 characters long",
    (name) => typeof name === "string" && isClusterName(name)
  ),
  tls: booleanCheck,
  // An empty token would admit every client. The error does not show the value, which may be the secret with a typo.
  token: mustBe(
    "a text of visible ASCII characters, one at least",
    (token) => isText(token, /^[\x21-\x7e]+$/),
    { isValueInMessage: (token) => token === "" }
  ),
  page: booleanCheck,
  pagePort: portCheck,
  authenticationTimeout: timeoutCheck,
  idleTimeout: timeoutCheck,
  connectionsMax: countCheck,
  unauthenticatedMax: countCheck
}

export const serverLimits = ({
  authenticationTimeout,
  idleTimeout,
  connectionsMax,
  unauthenticatedMax
}: ServeOptions): Partial<ApiServerLimits> => ({
  ...(authenticationTimeout === undefined
    ? {}
    : { authenticationMillis: Math.ceil(millisIn(authenticationTimeout)) }),
  ...(idleTimeout === undefined ? {} : { idleLimitMillis: Math.ceil(millisIn(idleTimeout)) }),
  ...(connectionsMax === undefined ? {} : { connectionsMax }),
  ...(unauthenticatedMax === undefined ? {} : { unauthenticatedMax })
})

export const checkServeOptions = (options: unknown): InvalidOptions | undefined => {
  if (typeof options !== "object" || options === null) {
    return new InvalidOptions({
      problems: [`the options must be an object, not ${formatOptionValue(options)}`]
    })
  }
  const problems = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof ServeOptions] : undefined
    if (check === undefined)
      return [`${name} is no option of serve: the options are ${Object.keys(checks).join(", ")}`]
    return check(name, value)
  })
  return problems.length === 0 ? undefined : new InvalidOptions({ problems })
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value)
