import type { ServerAccess } from "../../server/access/kubeconfigEntries.ts"

export interface ServeOptions {
  /** 127.0.0.1 by default; 0.0.0.0 listens on all interfaces. */
  readonly host?: string
  /** A free port by default. */
  readonly port?: number
  /** `charthouse` by default; the kubeconfig's context is `charthouse-NAME`. */
  readonly name?: string
  /** On by default, with a new certificate authority, which differs between runs. */
  readonly tls?: boolean
  /** Random by default. */
  readonly token?: string
  /** Whether to serve the page; off by default. */
  readonly page?: boolean
  /** Port of the page, for this machine only, without TLS; free by default. If `tls` is false: `port`. */
  readonly pagePort?: number
  /** Real time until a connection has sent the token (`2000` or `"2s"`); 10 s by default. */
  readonly authenticationTimeout?: number | string
  /** Real time until an idle connection is closed; 90 s by default. A connection with a watch is not idle. */
  readonly idleTimeout?: number | string
  /** Connections per port that have sent the token; more are closed. 2,000 by default. */
  readonly connectionsMax?: number
  /** Connections per port without the token yet; one more closes the oldest. 1,000 by default. */
  readonly unauthenticatedMax?: number
}

export interface RunningServer extends ServerAccess {
  readonly token: string
  /** The text of a kubeconfig whose only context is this server. */
  readonly kubeconfig: string
  /** URL with the token; undefined where no page is served. */
  readonly page: string | undefined
}
