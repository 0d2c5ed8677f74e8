import { isClusterName } from "./api/contextName.ts"
import { parseDuration } from "./domain/durations.ts"
import { InvalidOptions, spelt } from "./invalidOptions.ts"
import type { ServerLimits } from "./api/server.ts"

/** How a cluster is served. */
export interface ServeOptions {
  /** 127.0.0.1 where it is left out: nobody but this machine. 0.0.0.0 is for everybody who reaches it. */
  readonly host?: string
  /** Any that is free where it is left out, or 0. */
  readonly port?: number
  /** Of the cluster in the kubeconfig: the context is called `charthouse-NAME`. `charthouse` by default. */
  readonly name?: string
  /**
   * With a fresh certificate authority, unless this is false. It is in every `kube-root-ca.crt`, as in a real cluster,
   * and from no seed: whoever compares a served cluster with another byte for byte serves both without TLS.
   */
  readonly tls?: boolean
  /** What clients must know to be let in; made up where it is left out. */
  readonly token?: string
  /** With the page on which a browser shows the cluster, at the address that is answered; without it by default. */
  readonly page?: boolean
  /**
   * Of the page, which this machine reaches without TLS: any that is free where it is left out, or 0. Without TLS the
   * page is at `port`.
   */
  readonly pagePort?: number
  /**
   * Time of this machine, in milliseconds or Go's notation (`"2s"`), in which a connection must have sent a request
   * with the token; 10 s by default. What is answered without a token, such as `/healthz`, does not count.
   */
  readonly authenticationTimeout?: number | string
  /**
   * Time of this machine for which a connection is kept between two requests; 90 s by default. A watch, and any other
   * request that goes on, is no pause between requests.
   */
  readonly idleTimeout?: number | string
  /** Connections that have sent the token, at one time and for each port; more are closed. 2,000 by default. */
  readonly connectionsMax?: number
  /**
   * Connections that have not sent the token yet, at one time and for each port; one more closes the oldest of them.
   * 1,000 by default.
   */
  readonly unauthenticatedMax?: number
}

interface Check {
  readonly isMeant: (value: unknown) => boolean
  readonly wanted: string
}

const portMax = 65_535

const aPort: Check = {
  isMeant: (port) => typeof port === "number" && Number.isInteger(port) && port >= 0 && port <= portMax,
  wanted: `an integer from 0 to ${portMax}`
}

const millisIn = (duration: unknown): number =>
  (typeof duration === "string" ? parseDuration(duration) : (duration as number)) ?? Number.NaN

/** What a timer can wait for: Node fires at once when it is more. */
const timeoutMillisMax = 2 ** 31 - 1

const aTimeout: Check = {
  isMeant: (duration) => millisIn(duration) >= 1 && millisIn(duration) <= timeoutMillisMax,
  wanted: 'from 1ms to 24 days, in milliseconds or as in "2s"'
}

const aMaximum: Check = {
  isMeant: (count) => Number.isSafeInteger(count) && (count as number) > 0,
  wanted: "an integer above 0"
}

const checks: Readonly<Record<keyof ServeOptions, Check>> = {
  host: { isMeant: (host) => isText(host, /^\S+$/), wanted: "a host name or an address" },
  port: aPort,
  // A name becomes a part of the names in a kubeconfig.
  name: {
    isMeant: (name) => typeof name === "string" && isClusterName(name),
    wanted: "a name of lower-case letters, digits and hyphens, at most 42 characters long"
  },
  tls: { isMeant: (tls) => typeof tls === "boolean", wanted: "true or false" },
  // What stands in a header after `Bearer`; nothing at all would let everybody in.
  token: {
    isMeant: (token) => isText(token, /^[\x21-\x7e]+$/),
    wanted: "a text of visible ASCII characters, one at least"
  },
  page: { isMeant: (page) => typeof page === "boolean", wanted: "true or false" },
  pagePort: aPort,
  authenticationTimeout: aTimeout,
  idleTimeout: aTimeout,
  connectionsMax: aMaximum,
  unauthenticatedMax: aMaximum
}

/** The limits of a server that checked options set; the server has defaults for the others. */
export const serverLimits = ({
  authenticationTimeout,
  idleTimeout,
  connectionsMax,
  unauthenticatedMax
}: ServeOptions): Partial<ServerLimits> => ({
  ...(authenticationTimeout === undefined
    ? {}
    : { authenticationMillis: Math.ceil(millisIn(authenticationTimeout)) }),
  ...(idleTimeout === undefined ? {} : { idleMillis: Math.ceil(millisIn(idleTimeout)) }),
  ...(connectionsMax === undefined ? {} : { connectionsMax }),
  ...(unauthenticatedMax === undefined ? {} : { unauthenticatedMax })
})

/** Everything that is wrong with the options; undefined where they can be meant. */
export const refuseServeOptions = (options: unknown): InvalidOptions | undefined => {
  if (typeof options !== "object" || options === null) {
    return new InvalidOptions({ problems: [`the options must be an object, not ${spelt(options)}`] })
  }
  const problems = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof ServeOptions] : undefined
    if (check === undefined) return [`${name} is no option of serve: ${Object.keys(checks).join(", ")} are`]
    if (value === undefined || check.isMeant(value)) return []
    // A token that is almost right is not told to whoever reads a log.
    const shown = name === "token" && value !== "" ? "" : `, not ${spelt(value)}`
    return [`${name} must be ${check.wanted}${shown}`]
  })
  return problems.length === 0 ? undefined : new InvalidOptions({ problems })
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value)
