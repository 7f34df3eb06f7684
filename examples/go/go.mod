module wegman.example/tag

go 1.21
