import { hostname, networkInterfaces } from "node:os"

/** Wildcard listen addresses, each with the loopback address that reaches it. */
const loopbackByWildcard: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

export const isWildcardAddress = (host: string): boolean => Object.hasOwn(loopbackByWildcard, host)

/** An address that a client can connect to: for a wildcard address, the loopback address. */
export const reachableAddress = (host: string): string => loopbackByWildcard[host] ?? host

const loopback = ["127.0.0.1", "localhost", "::1"]

/**
 * Host names and addresses that the server accepts and its certificate covers. For a wildcard listen address these
 * include every address of the machine.
 */
export const serverNames = (host: string): ReadonlyArray<string> => {
  const machineNames = isWildcardAddress(host)
    ? [
        hostname(),
        ...Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map((it) => it.address))
      ]
    : []
  return [...new Set([host, ...loopback, ...machineNames])].filter((name) => name !== "")
}
