// A program of a user, in JavaScript: Node compiles nothing for it but the library.
const cpuBefore = process.cpuUsage()
const startMillis = performance.now()
const { openCluster } = await import(process.argv[2])
const cluster = await openCluster()
await cluster.get({ resource: "namespaces", name: "default" })
const millis = performance.now() - startMillis
const { user, system } = process.cpuUsage(cpuBefore)
process.stdout.write(JSON.stringify({ millis, cpuMillis: (user + system) / 1000 }))
await cluster.close()
