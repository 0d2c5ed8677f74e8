import { isClusterName } from "../../server/access/kubeconfigContextName.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { integerUpTo, InvalidOptions, mustBe, showValue } from "../../options/invalidOptions.ts"
import type { OptionChecks } from "../../options/invalidOptions.ts"
import type { ServerAccess } from "../../server/access/kubeconfigEntries.ts"
import type { ApiServerLimits } from "../../server/apiServer.ts"

export interface ServeOptions {
  /** 127.0.0.1 by default: this machine only. 0.0.0.0 listens on all interfaces. */
  readonly host?: string
  /** Port of the API: free by default. */
  readonly port?: number
  /** Name of the cluster in the kubeconfig, whose context is `charthouse-NAME`. `charthouse` by default. */
  readonly name?: string
  /** TLS with a new certificate authority; on by default. For runs that are equal byte for byte, set it to false. */
  readonly tls?: boolean
  /** The bearer token of all clients: random by default. */
  readonly token?: string
  /** Whether to serve the page, too; off by default. */
  readonly page?: boolean
  /** Port of the page (without TLS, this machine only): free by default. Without `tls` the page is at `port`. */
  readonly pagePort?: number
  /** Real time in which a connection must send a request with the token (`2000` or `"2s"`); 10 s by default. */
  readonly authenticationTimeout?: number | string
  /** Real time after which an idle connection is closed; 90 s by default. A connection with a watch is not idle. */
  readonly idleTimeout?: number | string
  /** Most connections per port that have sent the token; more are closed. 2,000 by default. */
  readonly connectionsMax?: number
  /** Most connections per port that have not sent the token yet; one more closes the oldest. 1,000 by default. */
  readonly unauthenticatedMax?: number
}

/** How to reach a served cluster: `url`, `token`, and the certificate authority `ca`. */
export interface RunningServer extends ServerAccess {
  /** What clients send as `Authorization: Bearer TOKEN`: the option `token`, or one that was made for this server. */
  readonly token: string
  /** The text of a kubeconfig whose only context is this server. */
  readonly kubeconfig: string
  /** URL of the page, with the token; undefined where no page is served. */
  readonly page: string | undefined
}

const portCheck = integerUpTo(65_535)

const millisIn = (duration: unknown): number =>
  (typeof duration === "string" ? parseDuration(duration) : (duration as number)) ?? Number.NaN

const timeoutMillisMax = 2 ** 31 - 1

const timeoutCheck = mustBe('from 1ms to 24 days, in milliseconds or as in "2s"', (duration) => {
  const millis = millisIn(duration)
  return millis >= 1 && millis <= timeoutMillisMax
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
  // Part of the `Authorization` header. An empty token would admit every client. A wrong token is not shown: it may be
  // nearly a secret.
  token: mustBe(
    "a text of visible ASCII characters, one at least",
    (token) => isText(token, /^[\x21-\x7e]+$/),
    (token) => token === ""
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
  ...(idleTimeout === undefined ? {} : { idleMillis: Math.ceil(millisIn(idleTimeout)) }),
  ...(connectionsMax === undefined ? {} : { connectionsMax }),
  ...(unauthenticatedMax === undefined ? {} : { unauthenticatedMax })
})

/** An error with all problems of the options; undefined where there are none. */
export const checkServeOptions = (options: unknown): InvalidOptions | undefined => {
  if (typeof options !== "object" || options === null) {
    return new InvalidOptions({ problems: [`the options must be an object, not ${showValue(options)}`] })
  }
  const problems = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof ServeOptions] : undefined
    if (check === undefined) return [`${name} is no option of serve: ${Object.keys(checks).join(", ")} are`]
    return check(name, value)
  })
  return problems.length === 0 ? undefined : new InvalidOptions({ problems })
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value)
