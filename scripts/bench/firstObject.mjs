// A program of a user, in JavaScript: Node compiles nothing for it but the library.
const begunCpu = process.cpuUsage()
const begun = performance.now()
const { openCluster } = await import(process.argv[2])
const cluster = await openCluster()
await cluster.get({ resource: "namespaces", name: "default" })
const millis = performance.now() - begun
const { user, system } = process.cpuUsage(begunCpu)
process.stdout.write(JSON.stringify({ millis, cpuMillis: (user + system) / 1000 }))
await cluster.close()
