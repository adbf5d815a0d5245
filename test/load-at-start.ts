// what the entries load in Node.js, for tests that import single files
import "../src/run/scheduling.js";
