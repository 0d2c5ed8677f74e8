import type { ServerAccess } from "../../server/access/kubeconfigEntries.ts"

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
  /** Also serves the page; off by default. */
  readonly page?: boolean
  /** Port of the page, which this machine alone reaches, without TLS; free by default. If `tls` is false: `port`. */
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
