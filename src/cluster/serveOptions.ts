import { isClusterName } from "../server/access/kubeconfigContextName.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"
import { InvalidOptions, showValue } from "../options/invalidOptions.ts"
import type { ApiServerLimits } from "../server/apiServer.ts"

export interface ServeOptions {
  /** 127.0.0.1 by default: this machine only. 0.0.0.0 listens on all interfaces. */
  readonly host?: string
  readonly port?: number
  /** Name of the cluster in the kubeconfig, whose context is `charthouse-NAME`. `charthouse` by default. */
  readonly name?: string
  /** TLS with a new certificate authority; on by default. For runs that are equal byte for byte, set it to false. */
  readonly tls?: boolean
  readonly token?: string
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

interface OptionCheck {
  readonly isValid: (value: unknown) => boolean
  readonly expected: string
}

const portMax = 65_535

const portCheck: OptionCheck = {
  isValid: (port) => typeof port === "number" && Number.isInteger(port) && port >= 0 && port <= portMax,
  expected: `an integer from 0 to ${portMax}`
}

const millisIn = (duration: unknown): number =>
  (typeof duration === "string" ? parseDuration(duration) : (duration as number)) ?? Number.NaN

const timeoutMillisMax = 2 ** 31 - 1

const timeoutCheck: OptionCheck = {
  isValid: (duration) => millisIn(duration) >= 1 && millisIn(duration) <= timeoutMillisMax,
  expected: 'from 1ms to 24 days, in milliseconds or as in "2s"'
}

const maximumCheck: OptionCheck = {
  isValid: (count) => Number.isSafeInteger(count) && (count as number) > 0,
  expected: "an integer above 0"
}

const checks: Readonly<Record<keyof ServeOptions, OptionCheck>> = {
  host: { isValid: (host) => isText(host, /^\S+$/), expected: "a host name or an address" },
  port: portCheck,
  name: {
    isValid: (name) => typeof name === "string" && isClusterName(name),
    expected: "a name of lower-case letters, digits and hyphens, at most 42 characters long"
  },
  tls: { isValid: (tls) => typeof tls === "boolean", expected: "true or false" },
  // Part of the `Authorization` header. An empty token would admit every client.
  token: {
    isValid: (token) => isText(token, /^[\x21-\x7e]+$/),
    expected: "a text of visible ASCII characters, one at least"
  },
  page: { isValid: (page) => typeof page === "boolean", expected: "true or false" },
  pagePort: portCheck,
  authenticationTimeout: timeoutCheck,
  idleTimeout: timeoutCheck,
  connectionsMax: maximumCheck,
  unauthenticatedMax: maximumCheck
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
    if (value === undefined || check.isValid(value)) return []
    // A wrong token is not shown: it may be nearly a secret.
    const shown = name === "token" && value !== "" ? "" : `, not ${showValue(value)}`
    return [`${name} must be ${check.expected}${shown}`]
  })
  return problems.length === 0 ? undefined : new InvalidOptions({ problems })
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value)
