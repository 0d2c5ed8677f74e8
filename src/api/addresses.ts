import { hostname, networkInterfaces } from "node:os"

/** By what a server is listened on that is for everybody, and where it is reached on its own machine. */
const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

export const isEverywhere = (host: string): boolean => Object.hasOwn(everywhere, host)

/** Where a client of this machine finds a server that listens on an address. */
export const reachableAt = (host: string): string => everywhere[host] ?? host

const loopback = ["127.0.0.1", "localhost", "::1"]

/** The names and addresses by which a server may be called: where it listens everywhere, all that the machine has. */
export const namesOf = (host: string): ReadonlyArray<string> => {
  const own = isEverywhere(host)
    ? [hostname(), ...Object.values(networkInterfaces()).flatMap((all = []) => all.map((it) => it.address))]
    : []
  return [...new Set([host, ...loopback, ...own])].filter((name) => name !== "")
}
