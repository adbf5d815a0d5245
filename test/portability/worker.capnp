using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = [(name = "main", worker = .agent)]);

const agent :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "built/worker.mjs")],
  compatibilityDate = "2025-06-01",
);
