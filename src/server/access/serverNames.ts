import { hostname, networkInterfaces } from "node:os"

const loopbackByWildcard: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

export const isWildcardAddress = (host: string): boolean => Object.hasOwn(loopbackByWildcard, host)

export const reachableAddress = (host: string): string => loopbackByWildcard[host] ?? host

const loopback = ["127.0.0.1", "localhost", "::1"]

/** Includes all names and addresses of the machine for a wildcard address. */
export const serverNames = (host: string): ReadonlyArray<string> => {
  const machineNames = isWildcardAddress(host)
    ? [
        hostname(),
        ...Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map((it) => it.address))
      ]
    : []
  return [...new Set([host, ...loopback, ...machineNames])].filter((name) => name !== "")
}
